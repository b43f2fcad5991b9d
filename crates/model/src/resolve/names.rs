//! First look over the statements: which name is a parameter, an input, a function, a held value.
//! Everything else that occurs in an equation is an unknown of the model.

use super::{Definition, Resolver};
use ordinate_syntax::{
    Declaration, Diagnostic, Name, NodeKind, Span, Statement, StatementKind, Target, UNRESERVED_FUNCTIONS,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Parameter,
    Input,
    Unknown,
    Held,
}

#[derive(Default)]
struct Seen {
    parameters: FxHashMap<Name, Span>,
    inputs: FxHashMap<Name, Span>,
    definitions: FxHashMap<Name, Span>,
    /// Left-hand sides that are a bare name, and outputs with a value.
    defined: FxHashMap<Name, Span>,
    assigned: Vec<(Name, Span)>,
    started: Vec<Name>,
}

/// `a parameter`, `an input`.
pub(super) fn with_article(what: &str) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {what}")
}

impl Resolver<'_> {
    pub(super) fn collect_names(&mut self) {
        let tree = self.tree;
        let mut seen = Seen::default();
        self.collect(&tree.statements, &mut seen);
        let primed: FxHashSet<Name> = tree
            .nodes
            .iter()
            .filter_map(|node| match node.kind {
                NodeKind::Variable { name, primes, .. } if primes > 0 => Some(name),
                _ => None,
            })
            .collect();
        let lists = [seen.parameters.keys(), seen.inputs.keys(), seen.definitions.keys(), seen.defined.keys()];
        let assigned = seen.assigned.iter().map(|(name, _)| name);
        let introduced = lists.into_iter().flatten().chain(assigned).chain(&seen.started).chain(&primed);
        // A function has parentheses, so a loop index cannot be taken for it.
        let defined = seen.defined.keys().chain(&seen.started).chain(&primed);
        self.unknowns = defined.copied().collect();
        self.introduced = introduced.map(|&name| tree.name(name).to_string()).collect();
        for &name in seen.parameters.keys() {
            self.kinds.insert(name, Kind::Parameter);
        }
        for (&name, &span) in &seen.inputs {
            if let Some(&other) = seen.parameters.get(&name) {
                self.duplicate(name, span, other, "parameter");
            }
            self.kinds.insert(name, Kind::Input);
        }
        for (name, span) in seen.assigned {
            self.assigned_at.entry(name).or_insert(span);
            match self.kinds.get(&name) {
                Some(Kind::Parameter) => {
                    let text = tree.name(name);
                    self.report(
                        Diagnostic::error(
                            "assigned-parameter",
                            span,
                            format!("`{text}` is a parameter and cannot change"),
                        )
                        .help(format!("write `init {text} = …` instead of `param` to make it a value that events set")),
                    );
                }
                // An input that a sampled controller drives: its declared value is where it starts.
                Some(Kind::Input) => _ = self.kinds.insert(name, Kind::Held),
                Some(Kind::Held | Kind::Unknown) => {}
                None if primed.contains(&name) => {}
                None if let Some(&defined) = seen.defined.get(&name) => {
                    let text = tree.name(name);
                    self.report(
                        Diagnostic::error(
                            "assigned-expression",
                            span,
                            format!("`{text}` follows from its equation and cannot be assigned"),
                        )
                        .label(defined, "defined here"),
                    );
                    self.kinds.insert(name, Kind::Unknown);
                }
                None => _ = self.kinds.insert(name, Kind::Held),
            }
        }
    }

    fn duplicate(&mut self, name: Name, span: Span, other: Span, what: &str) {
        let text = self.tree.name(name).to_string();
        let (first, second) = if other < span { (other, span) } else { (span, other) };
        self.report(
            Diagnostic::error("duplicate-name", second, format!("`{text}` is declared twice"))
                .label(first, format!("first declared here as {}", with_article(what)))
                .help("remove or rename one of them"),
        );
    }

    fn collect(&mut self, statements: &[Statement], seen: &mut Seen) {
        let once = |this: &mut Self, map: &mut FxHashMap<Name, Span>, target: &Target, what| {
            if let Some(&other) = map.get(&target.name) {
                if target.index.is_empty() {
                    this.duplicate(target.name, target.span, other, what);
                }
            } else {
                map.insert(target.name, target.span);
            }
        };
        for statement in statements {
            match &statement.kind {
                StatementKind::Param(list) => {
                    list.iter().for_each(|d| once(self, &mut seen.parameters, &d.target, "parameter"));
                }
                StatementKind::Input(list) => {
                    list.iter().for_each(|d| once(self, &mut seen.inputs, &d.target, "input"));
                }
                StatementKind::Output(list) => {
                    let valued = |d: &&Declaration| d.value.is_some();
                    list.iter().filter(valued).for_each(|d| once(self, &mut seen.defined, &d.target, "output"));
                }
                StatementKind::Equation { left, .. } => {
                    let root = self.tree.node(left.root);
                    if let NodeKind::Variable { name, primes: 0, .. } = root.kind {
                        seen.defined.entry(name).or_insert(root.span);
                    }
                }
                StatementKind::For { body, .. } => self.collect(body, seen),
                StatementKind::Def { name, name_span, parameters, body } => {
                    if let Some(&other) = seen.definitions.get(name) {
                        self.duplicate(*name, *name_span, other, "function");
                    }
                    seen.definitions.insert(*name, *name_span);
                    let text = self.tree.name(*name);
                    if UNRESERVED_FUNCTIONS.contains(&text) {
                        let message = format!("`{text}` is a function of the language, too; the model's own is used");
                        let note = Diagnostic::warning("own-function", *name_span, message);
                        self.report(note.help(
                            "another name shows which one is meant; without this line it is that of the language",
                        ));
                    }
                    let parameters = parameters.iter().map(|(name, _)| *name).collect();
                    self.definitions.insert(*name, Definition { parameters, body: *body, span: *name_span });
                }
                StatementKind::When { actions, .. } | StatementKind::Every { actions, .. } => {
                    seen.assigned.extend(actions.iter().map(|a| (a.target.name, a.target.span)));
                }
                StatementKind::Init(list) | StatementKind::Guess(list) => {
                    seen.started.extend(list.iter().map(|d| d.target.name));
                }
                StatementKind::StartAt { target, .. } => seen.started.push(target.name),
                StatementKind::Run { .. } | StatementKind::StopWhen { .. } => {}
            }
        }
    }
}
