"""Which colour and which letter stand for an identity."""
