"""What tests share: drivers, generators and independent readers."""
