"""The operator as users install it, beside a control plane: CRD, RBAC, and the process.

Only the pod is missing: the process runs here, with the rights of the ServiceAccount that
`manifests/` gives it, never as admin.
"""

from installation.install import NAMESPACE, SERVICE_ACCOUNT, install
from installation.operator_process import OperatorProcess, StartError

__all__ = ["NAMESPACE", "SERVICE_ACCOUNT", "OperatorProcess", "StartError", "install"]
