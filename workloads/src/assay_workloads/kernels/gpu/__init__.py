"""The kernels in Triton: float32 inside, the type of the inputs outside. Importing needs Triton, running a GPU."""
