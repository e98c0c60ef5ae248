"""A transcript as a Markdown document: complete, and inert wherever it is rendered."""

from chorus.core.views.markdown.page import markdown as markdown
