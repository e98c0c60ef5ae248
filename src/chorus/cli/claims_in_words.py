"""What another program says about lines, as words."""

from chorus.core.blame.claims import Claim
from chorus.core.views.safe import safe_line


def in_words(claim: Claim) -> str:
    """Return who wrote lines according to another program."""
    session = f"session {claim.session}" if claim.session else ""
    person = f"for {claim.person}" if claim.person else ""
    facts = [claim.person] if claim.author == "human" else [claim.tool, claim.model, session, person]
    about = ", ".join(safe_line(each) for each in facts if each)
    return f"{safe_line(claim.author)} ({about})" if about else safe_line(claim.author)
