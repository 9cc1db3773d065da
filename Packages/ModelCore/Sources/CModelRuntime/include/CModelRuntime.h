#ifndef C_MODEL_RUNTIME_H
#define C_MODEL_RUNTIME_H

// A function of the Swift runtime, part of its stable interface on Apple platforms. A weak reference uses it to retain an
// object that may be in deallocation in another thread. It is declared in C because Swift code must not name it.
extern void *_Nullable swift_tryRetain(void *_Nonnull object);

/// Retains a Swift object once, unless its deinitialiser has begun.
///
/// Returns the object, or null if it is in deallocation. Its memory must not be freed during the call.
static inline void *_Nullable modelcore_try_retain(void *_Nonnull object) { return swift_tryRetain(object); }

#endif
