"""What people say of the pictures that models drew."""
