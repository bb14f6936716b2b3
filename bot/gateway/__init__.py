"""Events in: the socket, and what of them is for us."""
