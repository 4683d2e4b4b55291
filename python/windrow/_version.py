"""The one place of the Python package's version; build.sbt has the same (tested)."""

__version__ = "0.1.0"
