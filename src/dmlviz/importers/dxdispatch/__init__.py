"""Model files of DxDispatch."""
