// Prints: <number> checks

import StoreProtocolTesting

print("\(ModelStoreContract.checks.count) checks")
