import SchemaKit

/// The entity Drawing of a model file.
///
/// Its fields are in PairDrawing+Generated.swift. This file is never written again.
final class PairDrawing: PairDrawingFields {}
