"""Pictures as SVG, with nothing from outside; light and dark by the page's own colours."""
