"""The house: the only room with I/O. Each service is an ``app`` (use cases on ports), a ``servicer`` (protobuf in,
protobuf out) and a ``main`` (wiring); services never import each other. ``kit`` is what they share.
"""
