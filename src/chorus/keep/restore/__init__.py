"""What the vault gives back: originals as files, the proof that it is whole, and, when asked for, nothing at all."""
