"""One module for each operator, called after it: its oracle, and cases to hold it against.

- `cases()` is a strategy of valid descs with arrays.
- `oracle(desc, arrays)` gives the outputs, slowly and by loops or plain NumPy; it shares nothing with the maps.
- `VALID` has a few small valid descs; they go through forms, pictures and exports.
- `BROKEN` has a desc for each of the operator's own rules by check id, and each has at least one fix.
"""
