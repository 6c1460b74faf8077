"""JSON and numbers as text, exactly; and where the onnx package is imported."""
