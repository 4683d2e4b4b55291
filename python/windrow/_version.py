"""The version of the package and of its JAR; the build reads it from here."""

__version__ = "0.1.0"
