"""Which colour and which letter stand for an identity, and how colours look with another colour vision."""
