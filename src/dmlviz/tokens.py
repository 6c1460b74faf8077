"""One experiment as a short text to share: versioned and checksummed, `dml1:` and what follows."""
