"""The way into the JVM: SQL functions, the gateway, the JAR, and whether they are there."""
