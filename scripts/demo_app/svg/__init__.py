"""Pictures as SVG text, by small pure functions; colours come from the page's style sheet."""
