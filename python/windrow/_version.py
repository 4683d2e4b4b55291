"""The version of the package and of its JAR; the build reads this file."""

__version__ = "0.1.0"
