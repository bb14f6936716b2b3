"""What stands between a call and its effect: rules over plain data, none of which runs a tool."""
