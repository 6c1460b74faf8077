"""Which colour and which letter stand for an identity, and how colours look to other eyes."""
