"""Shows the plan file of a conversation, unless a call already showed the same text to the person."""

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.todos import plans
from chorus.core.views.blocks import Prose
from chorus.core.views.rows import NoticeRow


def plan_rows(conversation: Conversation) -> list[NoticeRow]:
    """Returns the plan file as a row that comes after all others; an empty list if there is no such file."""
    name = f"plans/{conversation.session.slug}.md"
    return [
        NoticeRow(id=name, time=None, title=f"plan file {name}", blocks=(Prose(markdown=plan.text),))
        for plan in plans(conversation)
        if plan.state == "file"
    ]
