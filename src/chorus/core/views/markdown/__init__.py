"""Converts a transcript to a Markdown document that is complete, and harmless wherever it is rendered."""

from chorus.core.views.markdown.page import markdown as markdown
