import Testing

@testable import StoreProtocol

private final class Carriage: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var next: Carriage?
  @ModelField(foreignKey: true, inverse: \.$carriages) var train: Train?
  override var identifierField: AnyField? { $id }
}

private final class Train: Model {
  @Field var id: Int?
  @ModelArrayField var carriages: [Carriage]?
  override var identifierField: AnyField? { $id }
}

private final class Stop: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var next: Stop?
  @ModelField(foreignKey: true) var previous: Stop?
  override var identifierField: AnyField? { $id }
}

/// A model that contains another one.
private final class Box: Model {
  @Field var id: Int?
  @ModelField var content: Box?
  @ModelField(foreignKey: true) var train: Train?
  override var identifierField: AnyField? { $id }
}

@Suite struct `The order of a save` {
  @Test func `A long chain of embedded models is searched for links without a deep stack`() {
    let end = Box(), train = Train()
    end.train = train
    var boxes = [end]
    for _ in 1..<50_000 {
      let box = Box()
      box.content = boxes[boxes.count - 1]
      boxes.append(box)
    }
    let order = SaveOrder(from: boxes[boxes.count - 1])
    #expect(order.steps.map(\.model) == [train, boxes[boxes.count - 1]])
  }

  @Test func `A long chain of new models is saved from its end without a deep stack`() {
    let end = Carriage()
    var first = end
    for _ in 1..<50_000 {
      let carriage = Carriage()
      carriage.next = first
      first = carriage
    }
    let order = SaveOrder(from: first)
    #expect(order.steps.count == 50_000)
    #expect(order.steps.first?.model === end && order.steps.last?.model === first)
  }

  @Test func `Only a step with a link that has to wait has the models that are saved after it`() {
    let train = Train()
    train.carriages = (0..<100).map { _ in Carriage() }
    let members = train.carriages ?? []
    let order = SaveOrder(from: train)
    #expect(order.steps.map(\.model) == [train] + members)
    #expect(order.steps.allSatisfy { $0.later.isEmpty })
    members[0].next = members[1]
    members[1].next = members[0]
    let cyclic = SaveOrder(from: train)
    #expect(cyclic.steps.count == 101)
    #expect(cyclic.steps.count { !$0.later.isEmpty } == 1)
    #expect(cyclic.steps.flatMap(\.linksToFollow).count == 1)
  }

  @Test func `A step has only those later models that its own links wait for`() {
    let stops = (0..<2_000).map { _ in Stop() }
    for (stop, next) in zip(stops, stops.dropFirst()) { (stop.next, next.previous) = (next, stop) }
    let steps = SaveOrder(from: stops[0]).steps
    #expect(steps.count == 2_000)
    #expect(steps.allSatisfy { $0.later.count <= 2 && $0.later.count == $0.linksToFollow.count })
    #expect(steps.map(\.later.count).reduce(0, +) == 1_999)
  }

  @Test func `New members of the lists of new models are saved wherever the save begins`() {
    let train = Train(), first = Carriage(), second = Carriage()
    train.carriages = [first, second]
    #expect(Set(SaveOrder(from: first).steps.map(\.model)) == [train, first, second])
    let caboose = Carriage()
    caboose.next = first
    #expect(Set(SaveOrder(from: caboose).steps.map(\.model)) == [train, first, second, caboose])
  }

  @Test func `New members of a list that was unloaded are saved, unless they left it`() {
    let train = Train.with(identifier: "1", in: ModelScope()), first = Carriage(), second = Carriage()
    for carriage in [first, second] { carriage.train = train }
    train.unload()
    second.train = nil
    #expect(Set(SaveOrder(from: train).steps.map(\.model)) == [train, first])
  }
}
