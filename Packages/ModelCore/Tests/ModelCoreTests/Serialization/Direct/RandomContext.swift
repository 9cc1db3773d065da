import ModelCore

let modelClasses: [any Model.Type] = [
  Author.self, Book.self, Person.self, Album.self, Track.self, Shape.self, Drawing.self, Order.self, Sampler.self,
  Sampler.self, Crossing.self, Watcher.self, Dotted.self,
]

func randomContext(_ random: inout RandomDocument) -> ValueTransformerContext {
  var context = ValueTransformerContext.standard
  if random.chance(200) { context = ValueTransformerContext(keyCase: .snake, explicitNull: true) }
  if random.chance(200) { context.decoding = .lenient }
  if random.chance(250) { context.keepsUnknownKeys = true }
  if random.chance(150) {
    context.transform(
      String.self, importValue: { $0.stringValue.map { $0 + "!" } }, exportValue: { .string(String($0.dropLast())) })
  }
  return context
}
