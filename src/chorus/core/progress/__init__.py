"""Progress of a conversation and of its sub-agents, with the source of every statement. Pure."""
