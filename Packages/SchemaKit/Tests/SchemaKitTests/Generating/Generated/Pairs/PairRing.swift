import SchemaKit

/// The entity Ring of a model file.
///
/// Its fields are in PairRing+Generated.swift. This file is never written again.
final class PairRing: PairRingFields {}
