"""The connection to the JVM: SQL functions, the gateway, and the JAR."""
