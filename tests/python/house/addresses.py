"""Database addresses with a password in every supported position, and their masked form."""

#: The password; none of its parts occurs in another text.
PASSWORD = "hush4711"  # noqa: S105

#: Masked form by address, with `{}` in place of the password.
ADDRESSES = {
    "jdbc:mysql://me:{}@db/shop": "jdbc:mysql://…@db/shop",
    "jdbc:mysql://me:{}@db:3306/shop?ssl=true": "jdbc:mysql://…@db:3306/shop",
    "jdbc:mysql://me:p@{}@db/shop": "jdbc:mysql:…",
    "jdbc:mysql://me:p/{}@db/shop": "jdbc:mysql:…",
    "jdbc:mysql://me:p?{}@db/shop": "jdbc:mysql:…",
    "jdbc:mysql://me:p;{}@db/shop": "jdbc:mysql:…",
    "jdbc:mysql://me:p,password={}@db/shop": "jdbc:mysql:…",
    "jdbc:mysql://{}@db/shop": "jdbc:mysql://…@db/shop",
    "jdbc:mysql://address=(host=db)(user=me)(password={})/shop": "jdbc:mysql:…",
    "jdbc:mysql://(host=db,user=me,password={})/shop": "jdbc:mysql:…",
    "jdbc:mysql:loadbalance://a:1,b:2/shop?password={}": "jdbc:mysql:loadbalance://a:1,b:2/shop…",
    "jdbc:mariadb://db/shop?user=me&password={}": "jdbc:mariadb://db/shop…",
    "jdbc:oracle:thin:scott/{}@//db:1521/x": "jdbc:oracle:…",
    "jdbc:oracle:thin:scott/{}@db:1521:x": "jdbc:oracle:…",
    'jdbc:oracle:thin:scott/"{}@x"@db:1521:x': "jdbc:oracle:…",
    "jdbc:oracle:thin:@//db:1521/x?password={}": "jdbc:oracle:thin:@//db:1521/x…",
    "jdbc:oracle:thin:@(DESCRIPTION=(PASSWORD={}))": "jdbc:oracle:…",
    "jdbc:postgresql://db/x?user=a&password={}": "jdbc:postgresql://db/x…",
    "jdbc:postgresql://db/x?password=p@{}": "jdbc:postgresql:…",
    "jdbc:postgresql:x?sslpassword={}": "jdbc:postgresql:…",
    "jdbc:sap://db:1/&password={}": "jdbc:sap://db:1/…",
    "jdbc:db2://db:1/x:user=a;password={};": "jdbc:db2://db:1/x…",
    "jdbc:sqlserver://db;user=a;password={}": "jdbc:sqlserver://db…",
    "jdbc:sqlserver://db\\one:1433;databaseName=x;trustStorePassword={}": (
        "jdbc:sqlserver://db\\one:1433…"
    ),
    "jdbc:sqlserver://db;pwd={{p;{}}}": "jdbc:sqlserver://db…",
    "jdbc:derby:memory:x;user=me;password={}": "jdbc:derby:memory:x…",
    "jdbc:sqlite:/data/x.db?cipher=a&key={}": "jdbc:sqlite:/data/x.db…",
    "jdbc:duckdb:md:x?motherduck_token={}": "jdbc:duckdb:md:x…",
    "jdbc:h2:mem:x;PASSWORD={}": "jdbc:h2:mem:x…",
    "jdbc:snowflake://acme.example.com/?private_key_pwd={}": "jdbc:snowflake://acme.example.com/…",
    "jdbc:teradata://db/USER=me,PASSWORD={}": "jdbc:teradata:…",
    "jdbc:redshift:iam://key:{}@db/x": "jdbc:redshift:iam://…@db/x",
    "jdbc:hive2://db:10000/x;token={}?a=b#c=d": "jdbc:hive2://db:10000/x…",
    "jdbc:{}": "…",
}

#: Options of databases and of Kafka, keyed by their name, with `{}` in place of the password.
OPTIONS = {
    **dict.fromkeys(
        [
            "password",
            "pwd",
            "passwd",
            "secret",
            "token",
            "accessKey",
            "sslpassword",
            "trustStorePassword",
            "properties",
            "spark.hadoop.fs.s3a.secret.key",
        ],
        "{}",
    ),
    "kafka.sasl.jaas.config": 'x required username="me" password="{}";',
    "kafka.ssl.key.password": "{}",
}
