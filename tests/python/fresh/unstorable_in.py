"""Values that a database cannot store, and the different names of its table.

Arguments: folder, name of the database, its address, JARs of the driver. Prints how many of the
rows were rejected.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import windrow as wr
from conftest import session_builder
from sinks.unstorable import (
    a_table_is_one_however_it_is_named,
    a_table_of_the_users_own,
    every_row_has_a_fate,
)
from sinks.writing import make

folder, database, url, jars = Path(sys.argv[1]), *sys.argv[2:5]
builder = session_builder(folder).config("spark.jars", jars)
spark = wr.configure(
    builder.config("spark.driver.extraClassPath", jars.replace(",", ":"))
).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
jvm: Any = spark._jvm


def connected(at: str) -> Any:
    """Connect with the driver directly."""
    return jvm.java.sql.DriverManager.getConnection(at)


refused = every_row_has_a_fate(spark, url)
connection = connected(url)
if database != "sqlite":  # SQLite's columns accept any text and number
    a_table_of_the_users_own(spark, url, connection)
if database == "postgresql":
    statement = connection.createStatement()
    statement.execute("CREATE SCHEMA other")
    others = f"{url}&currentSchema=other"
    # in a schema with its own windrow_batches
    make(spark, wr.Jdbc(others, "their_own"), spark.range(0).schema)
    names = [
        (url, "minutes"),
        (url, "public.minutes"),
        (url, 'PUBLIC."minutes"'),
        (f"{others},public", "minutes"),
        (url, "postgres.public.minutes"),
    ]
    a_table_is_one_however_it_is_named(spark, names)
elif database == "mariadb":
    a_table_is_one_however_it_is_named(
        spark, [(url, "minutes"), (url, "shop.minutes"), (url, "`shop`.`minutes`")]
    )
else:
    a_table_is_one_however_it_is_named(
        spark, [(url, "minutes"), (url, "MINUTES"), (url, "main.minutes"), (url, '"minutes"')]
    )
connection.close()
print(database, refused)  # noqa: T201
spark.stop()
