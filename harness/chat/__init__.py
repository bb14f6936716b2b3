"""Models behind one call: the OpenAI wire, and the rehearsal that needs none."""
