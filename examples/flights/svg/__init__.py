"""Draw pictures as SVG text. The style sheet of the page defines the colors."""
