"""What sources share: which there are, and readers of C++, calls, DxDispatch models and ONNX graphs."""
