package import ModelKit

extension ValueTransforming where Self == DateTransformer {
  /// A shared transformer of days such as `1775-12-16`. Parsing its format for each field of each model would cost more
  /// than reading the dates.
  package static var day: DateTransformer { sharedDay }
}

private let sharedDay = DateTransformer(format: "yyyy-MM-dd")
