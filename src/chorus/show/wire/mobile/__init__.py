"""The protocol `chorus.mobile.v1`: what a phone is sent, what it may say, and how a conversation becomes messages."""

PROTOCOL = "chorus.mobile.v1"
"""The name of the WebSocket subprotocol, and the version in `hello`."""
