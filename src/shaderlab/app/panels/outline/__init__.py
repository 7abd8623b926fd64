"""Functions, structs and uniforms of the text, with what each function costs."""
