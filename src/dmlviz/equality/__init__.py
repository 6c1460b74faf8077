"""Which map a chain is: as tables, compared with another chain's, proved for all index values where that can be."""
