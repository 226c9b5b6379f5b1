"""Training of policies by self-play; runs from a checkout."""

import os

# The matrices are small: threads of the linear algebra cost more time than they save, and many times more on a machine
# that does other work too. It must be said before NumPy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
