"""SVG and HTML as trees of elements, and cards for notebooks."""
