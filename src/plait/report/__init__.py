"""Views of results: tables, pictures, later HTML; they read result objects and never a model's inside."""
