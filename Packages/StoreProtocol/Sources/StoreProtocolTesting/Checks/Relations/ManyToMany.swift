import ModelCore
import StoreProtocol

/// A model that stores its many-to-many relation.
private final class ContractTask: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let labels: ModelArrayField<ContractLabel> = ModelField(foreignKey: true, inverse: \.tasks)*
  override var identifierField: AnyField? { id }
}

/// A model whose many-to-many relation is stored by the members.
private final class ContractLabel: Model {
  let id = Field<Int>()
  let tasks = ModelField<ContractTask>()*
  override var identifierField: AnyField? { id }
}

// Links of many-to-many relations, read by another store instance.
extension ModelStoreContract {
  static let manyToMany: [SharedEngineCheck] = [
    SharedEngineCheck(
      "a many-to-many link that one side stores is saved with that side, and leaves both clean",
      needs: [.anyModels, .queries]
    ) { makeStore in
      for edit in LinkEdit.allCases {
        for isFresh in [false, true] {
          let ids = try await createTasks(linked: edit.removes, in: try await makeStore())
          let what = "\(edit)\(isFresh ? " after a restart" : "")"
          let store = try await makeStore()
          let task = try await store.lookup(ContractTask.self, identifier: ids.task)
          let label = try await store.lookup(ContractLabel.self, identifier: ids.label)
          if !isFresh { _ = try await store.list(in: label.tasks) }
          edit.apply(task.labels, label, label.tasks, task)
          try require(task.isDirty && label.isDirty, "a side is clean before the save: \(what)")
          try await store.save(task)
          try require(!task.isDirty && !label.isDirty, "a side is dirty after the save: \(what)")
          label.revert()
          try requireEqual(task.labels.value?.contains(label), !edit.removes, "the link after a revert: \(what)")
          try require(!task.isDirty && !label.isDirty, "a side is dirty after a revert: \(what)")
          try await store.save(label)
          try await requireTasks(edit.removes ? [] : [ids.task], of: ids.label, in: try await makeStore(), what)
        }
      }
    },
    SharedEngineCheck("a deleted model of a many-to-many relation that is reverted is in no list", needs: [.anyModels])
    {
      makeStore in
      let store = try await makeStore()
      for deletesLabel in [false, true] {
        let task = try await store.create(ContractTask()), label = try await store.create(ContractLabel())
        task.labels.value = [label]
        try await store.save(task)
        let (deleted, other): (any Model, any Model) = deletesLabel ? (label, task) : (task, label)
        if deletesLabel { try await store.delete(label) } else { try await store.delete(task) }
        deleted.revert()
        let links = (task.labels.value?.count ?? 0) + (label.tasks.value?.count ?? 0)
        try requireEqual(links, 0, "the number of links (the label was deleted: \(deletesLabel))")
        try require(!other.isDirty, "the other model is dirty (the label was deleted: \(deletesLabel))")
      }
    },
    SharedEngineCheck("a many-to-many link that a failed transaction saved retains one side only", needs: [.anyModels])
    {
      makeStore in
      struct Refusal: Error {}
      guard let store = try await makeStore() as? any TransactionalModelStore else { return }
      /// Returns the live models of two that were linked and saved, and that nothing else retains.
      func link() async throws -> () -> [ModelObject] {
        let task = try await store.create(ContractTask()), label = try await store.create(ContractLabel())
        label.tasks.value = [task]
        do {
          try await transaction(in: store) { store in
            try await store.save(label)
            throw Refusal()
          }
        } catch is Refusal {}
        try await store.save(task)
        try await store.save(label)
        try require(task.labels.value == [label] && !task.isDirty && !label.isDirty, "the link was not saved")
        return { [weak task, weak label] in [task, label].compactMap { $0 } }
      }
      let live = try await link()
      // Models that a call of the store retained are released with its task.
      for _ in 0..<100 where !live().isEmpty { await Task.yield() }
      try requireEqual(live().count, 0, "the number of live models that nothing uses")
    },
    SharedEngineCheck(
      "an unsaved many-to-many link to a model that is saved and released is not lost", needs: [.anyModels, .queries]
    ) { makeStore in
      let store = try await makeStore()
      let task = ContractTask()
      (task.id.value, task.title.value) = (1, "Write")
      try await store.create(task)
      func label() async throws {
        let label = ContractLabel()
        label.id.value = 2
        label.tasks.add(task)
        try await store.save(label)
      }
      try await label()
      try require(task.isDirty, "the link is saved")
      try await store.save(task)
      try await requireTasks(["1"], of: "2", in: try await makeStore(), "after the save")
    },
    SharedEngineCheck("refresh overwrites an unsaved many-to-many link of either side", needs: [.anyModels, .queries]) {
      makeStore in
      for edit in LinkEdit.allCases {
        for isFresh in [false, true] {
          let store = try await makeStore()
          let ids = try await createTasks(linked: edit.removes, in: store)
          let what = "\(edit)\(isFresh ? " after a restart" : "")"
          let mine = isFresh ? try await makeStore() : store
          let task = try await mine.lookup(ContractTask.self, identifier: ids.task)
          let label = try await mine.lookup(ContractLabel.self, identifier: ids.label)
          edit.apply(task.labels, label, label.tasks, task)
          try await mine.refresh(task)
          try requireEqual(task.labels.value?.contains(label) ?? false, edit.removes, "the link: \(what)")
          try requireEqual(label.tasks.value?.contains(task) ?? false, edit.removes, "the inverse: \(what)")
          try require(!task.isDirty && !label.isDirty, "a side is dirty: \(what)")
        }
      }
    },
    SharedEngineCheck(
      "a many-to-many list that another store instance changed is not overwritten", needs: [.anyModels, .queries]
    ) { makeStore in
      let ids = try await createTasks(linked: true, in: try await makeStore())
      let (mine, theirs) = (try await makeStore(), try await makeStore())
      let myTask = try await mine.lookup(ContractTask.self, identifier: ids.task)
      let theirTask = try await theirs.lookup(ContractTask.self, identifier: ids.task)
      let other = try await theirs.create(ContractLabel())
      theirTask.labels.add(other)
      try await theirs.save(theirTask)
      let label = try await mine.lookup(ContractLabel.self, identifier: ids.label)
      myTask.labels.remove(label)
      try await requireError(.conflict, "of a save over their link") { try await mine.save(myTask) }
      try await mine.refresh(myTask)
      myTask.labels.remove(label)
      try await mine.save(myTask)
      try await requireTasks([ids.task], of: other.identifier ?? "", in: try await makeStore(), "theirs")
      try await requireTasks([], of: ids.label, in: try await makeStore(), "mine")
    },
    SharedEngineCheck("an edited list is saved with members that were deallocated", needs: [.anyModels]) { makeStore in
      let creator = try await makeStore(), store = try await makeStore()
      let (first, second, third) = (ContractCourse(), ContractCourse(), ContractCourse())
      let created = ContractStudent()
      created.courses.value = [first, second]
      try await creator.save(created, including: .related)
      for course in [first, second, third] { try await creator.save(course) }
      var course: ContractCourse? = try await store.lookup(ContractCourse.self, identifier: first.identifier ?? "")
      let student = try await store.lookup(ContractStudent.self, identifier: created.identifier ?? "")
      student.courses.add(try await store.lookup(ContractCourse.self, identifier: third.identifier ?? ""))
      withExtendedLifetime(course) {}
      course = nil
      try requireEqual(student.courses.value?.count, 2, "the number of courses that are live")
      try await requireError(.invalid, "of an update with a part of the list") {
        try await store.update(student, fields: [student.courses])
      }
      try await store.save(student)
      try requireEqual(student.courses.count, 3, "the number of courses after the save")
      try require(!student.isDirty, "the student is dirty")
      let read = try await (try await makeStore()).lookup(ContractStudent.self, identifier: created.identifier ?? "")
      try requireEqual(
        Set(read.courses.value?.map(\.identifier) ?? []), Set([first, second, third].map(\.identifier)),
        "the stored courses")
    },
    SharedEngineCheck("a stored model loses its link to a new one with a transaction that fails", needs: [.anyModels]) {
      makeStore in
      let store = try await makeStore()
      guard store is any TransactionalModelStore else { return }
      struct Refusal: Error {}
      let task = try await store.create(ContractTask()), label = ContractLabel()
      let storedLabel = try await store.create(ContractLabel()), newTask = ContractTask()
      do {
        try await transaction(in: store) { _ in
          task.labels.add(label)
          newTask.labels.add(storedLabel)
          throw Refusal()
        }
      } catch is Refusal {}
      try require(task.labels.value?.isEmpty != false && !task.isDirty, "the stored task has the link")
      try require(label.tasks.value?.isEmpty != false, "the new label has the link")
      try require(newTask.labels.value == [storedLabel], "the new task has no link")
      task.title.value = "saved"
      try await store.save(task)
      try await store.save(newTask)
      let ids = (task: newTask.identifier ?? "", label: storedLabel.identifier ?? "")
      try await requireTasks([ids.task], of: ids.label, in: try await makeStore(), "both")
    },
    SharedEngineCheck(
      "a many-to-many link that both sides store is saved by each of them", needs: [.anyModels, .queries]
    ) { makeStore in
      for edit in LinkEdit.allCases {
        for isStudentFirst in [true, false] {
          let creator = try await makeStore()
          let newStudent = ContractStudent(), newCourse = ContractCourse()
          if edit.removes { newStudent.courses.add(newCourse) }
          try await creator.save(newStudent, including: .related)
          try await creator.save(newCourse)
          let store = try await makeStore()
          let student = try await store.lookup(ContractStudent.self, identifier: newStudent.identifier ?? "")
          let course = try await store.lookup(ContractCourse.self, identifier: newCourse.identifier ?? "")
          let what = "\(edit), \(isStudentFirst ? "the student" : "the course") saved first"
          edit.apply(student.courses, course, course.students, student)
          try require(student.isDirty && course.isDirty, "a side is clean before the save: \(what)")
          if isStudentFirst { try await store.save(student) } else { try await store.save(course) }
          try requireEqual(
            [student.isDirty, course.isDirty], [!isStudentFirst, isStudentFirst],
            "the dirty sides after one save: \(what)")
          if isStudentFirst { try await store.save(course) } else { try await store.save(student) }
          try require(!student.isDirty && !course.isDirty, "a side is dirty after the save: \(what)")
          for isStudentRead in [true, false] {
            let other = try await makeStore()
            let id = (student: student.id.value, course: course.id.value)
            if isStudentRead {
              let read = try await other.lookup(ContractStudent.self, identifier: student.identifier ?? "")
              try requireEqual(read.courses.value?.map(\.id.value), edit.removes ? [] : [id.course], "courses: \(what)")
            } else {
              let read = try await other.lookup(ContractCourse.self, identifier: course.identifier ?? "")
              try requireEqual(
                read.students.value?.map(\.id.value), edit.removes ? [] : [id.student], "students: \(what)")
            }
          }
        }
      }
    },
  ]

  /// A change of a link from one of its sides.
  private enum LinkEdit: CaseIterable {
    case addToFirst, addToSecond, assignFirst, assignSecond, removeFromFirst, removeFromSecond, emptyFirst, emptySecond

    var removes: Bool {
      switch self {
      case .addToFirst, .addToSecond, .assignFirst, .assignSecond: false
      case .removeFromFirst, .removeFromSecond, .emptyFirst, .emptySecond: true
      }
    }

    func apply<First: Model, Second: Model>(
      _ first: ModelArrayField<Second>, _ second: Second, _ inverse: ModelArrayField<First>, _ model: First
    ) {
      switch self {
      case .addToFirst: first.add(second)
      case .addToSecond: inverse.add(model)
      case .assignFirst: first.value = [second]
      case .assignSecond: inverse.value = [model]
      case .removeFromFirst: first.remove(second)
      case .removeFromSecond: inverse.remove(model)
      case .emptyFirst: first.value = []
      case .emptySecond: inverse.value = []
      }
    }
  }

  private static func createTasks(
    linked: Bool, in store: any ModelStore
  ) async throws -> (task: String, label: String) {
    let task = ContractTask(), label = ContractLabel()
    if linked { task.labels.add(label) }
    try await store.save(task, including: .related)
    if !linked { try await store.save(label) }
    try require(!task.isDirty && !label.isDirty, "a created side is dirty")
    return (task.identifier ?? "", label.identifier ?? "")
  }

  /// Fails the check unless both directions of the relation agree.
  private static func requireTasks(
    _ tasks: [String], of label: String, in store: any ModelStore, _ what: String
  ) async throws {
    let id = Int(label) ?? 0
    let found = try await store.list(ContractTask.self) { $0.labels.contains { $0.id == id } }
    try requireEqual(found.map(\.identifier), tasks, "the tasks with the label: \(what)")
    for task in tasks {
      let taskID = Int(task) ?? 0
      let labels = try await store.list(ContractLabel.self) { $0.tasks.contains { $0.id == taskID } }
      try requireEqual(labels.map(\.identifier), [label], "the labels of the task: \(what)")
    }
    let read = try await store.lookup(ContractLabel.self, identifier: label)
    let listed = try await store.list(in: read.tasks)
    try requireEqual(listed.map(\.identifier), tasks, "the listed tasks: \(what)")
    try requireEqual(read.tasks.count, tasks.count, "the number of tasks: \(what)")
    let included = try await store.list(ContractLabel.self, including: [\.tasks]).first { $0 === read }
    try requireEqual(included?.tasks.value?.map(\.identifier), tasks, "the included tasks: \(what)")
    try require(!read.isDirty && found.allSatisfy { !$0.isDirty }, "reading left a side dirty: \(what)")
  }
}
