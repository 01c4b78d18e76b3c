"""Between protobuf and the engine's words: errors, messages, clients. Generated stubs are used here, in servicers and
nowhere else.
"""
