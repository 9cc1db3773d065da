// Prints: pages of 1000
// Prints: may delete: true

import RESTService

print("pages of \(RESTServiceOptions().pageSize)")
print("may delete: \(RESTAccess.Action.write.contains(.delete))")
