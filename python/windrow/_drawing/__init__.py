"""Pictures as self-contained SVG; the page sets the text color, in light and dark mode."""
