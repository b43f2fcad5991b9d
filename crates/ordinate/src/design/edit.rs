//! Changes to the text of a model that leave all else as its author wrote it: inputs taken out, values replaced.

use ordinate_syntax::{Declaration, NodeKind, Span, Statement, StatementKind, Tree};
use std::path::Path;

/// A text and what is to be changed in it.
pub(super) struct Edits<'a> {
    tree: &'a Tree,
    text: &'a str,
    /// Ranges and what stands there afterwards; none overlap.
    changes: Vec<(usize, usize, String)>,
}

/// An input that was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// Its name.
    input: String,
    /// Its unit.
    pub unit: Option<String>,
    /// The comment that went with it, where it could not stay.
    pub comment: String,
}

impl Taken {
    /// Whether this was the declaration of an input.
    pub fn covers(&self, input: &str) -> bool {
        spaceless(input) == self.input
    }
}

fn spaceless(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

impl<'a> Edits<'a> {
    pub fn new(tree: &'a Tree, text: &'a str) -> Edits<'a> {
        Edits { tree, text, changes: Vec::new() }
    }

    /// The text with all changes.
    pub fn apply(mut self) -> String {
        self.changes.sort_by_key(|&(start, end, _)| (start, end));
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for (start, end, new) in self.changes {
            out += &self.text[at..start];
            out += &new;
            at = end;
        }
        out + &self.text[at..]
    }

    fn change(&mut self, start: usize, end: usize, new: impl Into<String>) {
        self.changes.push((start, end, new.into()));
    }

    /// Takes the declarations of inputs out.
    pub fn take_inputs(&mut self, driven: &[&str]) -> Result<Vec<Taken>, String> {
        let driven: Vec<String> = driven.iter().map(|name| spaceless(name)).collect();
        let mut taken = Vec::new();
        let tree = self.tree;
        // the language has no inputs inside of loops
        for statement in &tree.statements {
            self.take_from(statement, &driven, &mut taken)?;
        }
        Ok(taken)
    }

    fn take_from(&mut self, statement: &Statement, driven: &[String], taken: &mut Vec<Taken>) -> Result<(), String> {
        let StatementKind::Input(list) = &statement.kind else { return Ok(()) };
        let names: Vec<String> = list.iter().map(|d| spaceless(self.slice(d.target.span))).collect();
        let goes: Vec<bool> = names.iter().map(|name| driven.contains(name)).collect();
        for (declaration, _) in list.iter().zip(&goes).filter(|(_, goes)| !**goes) {
            self.needs_none(declaration, driven)?;
        }
        let first = taken.len();
        for (k, declaration) in list.iter().enumerate().filter(|(k, _)| goes[*k]) {
            let unit = declaration.unit.as_ref().map(|unit| unit.text.clone());
            taken.push(Taken { input: names[k].clone(), unit, comment: String::new() });
        }
        if goes.iter().all(|&goes| goes) {
            self.take_statement(statement.span, &names);
        } else if goes.contains(&true) {
            self.take_some(statement.span, list, &goes, &mut taken[first..]);
        }
        Ok(())
    }

    /// An input that stays must not be made of one that goes: it would not be a given function of time any more.
    fn needs_none(&self, declaration: &Declaration, driven: &[String]) -> Result<(), String> {
        let nodes = declaration.value.into_iter().flat_map(|value| value.range()).map(|at| &self.tree.nodes[at]);
        let found = nodes.filter(|node| matches!(node.kind, NodeKind::Variable { .. }));
        match { found }.map(|node| spaceless(self.slice(node.span))).find(|name| driven.contains(name)) {
            None => Ok(()),
            Some(other) => {
                let name = self.slice(declaration.target.span);
                Err(format!(
                    "the input `{name}` is made of `{other}`, which the controller drives; write `{name} = …` as an equation, without `input`"
                ))
            }
        }
    }

    /// Takes a whole statement out; a line of its own says where it went.
    fn take_statement(&mut self, span: Span, names: &[String]) {
        let (start, end) = (span.start as usize, span.end as usize);
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let after = &self.text[end..];
        let blank = after.len() - after.trim_start_matches([' ', '\t']).len();
        let alone = self.text[line..start].trim().is_empty();
        let rest = &after[blank..];
        if let Some(behind) = rest.strip_prefix(';') {
            let more = behind.len() - behind.trim_start_matches([' ', '\t']).len();
            self.change(start, end + blank + 1 + more, "");
        } else if alone && (rest.is_empty() || rest.starts_with(['\n', '\r', '#'])) {
            let words = if names.len() == 1 { "is" } else { "are" };
            self.change(start, end, format!("# {} {words} driven by the controller below", names.join(", ")));
        } else {
            self.change(start, end, "");
        }
    }

    /// Where the text of a declaration ends: at the comma after it, or with its statement.
    fn end_of(&self, span: Span, list: &[Declaration], k: usize) -> usize {
        if k + 1 == list.len() {
            return span.end as usize;
        }
        let d = &list[k];
        let known = [
            d.value.map(|value| self.tree.span(value)),
            d.table.as_ref().map(|t| t.span),
            d.unit.as_ref().map(|u| u.span),
        ];
        let last = known.into_iter().flatten().map(|span| span.end).max().unwrap_or(d.target.span.end) as usize;
        last + self.text[last..].find(',').expect("a comma separates declarations")
    }

    /// Takes some declarations out of a list; the others stay.
    fn take_some(&mut self, span: Span, list: &[Declaration], goes: &[bool], taken: &mut [Taken]) {
        let last_kept = goes.iter().rposition(|goes| !goes).expect("some stay");
        let mut gone = taken.iter_mut();
        for k in (0..list.len()).filter(|&k| goes[k]) {
            let start = list[k].target.span.start as usize;
            let about = gone.next().expect("one for each that goes");
            if k < last_kept {
                // with its comma, up to the next declaration; a comment in between goes along
                let next = list[k + 1].target.span.start as usize;
                let between = &self.text[self.end_of(span, list, k)..next];
                about.comment = between.split_once('#').map_or(String::new(), |(_, words)| words.trim().to_string());
                self.change(start, next, "");
            } else {
                let comma = self.end_of(span, list, k - 1);
                self.change(comma, comma + 1, "");
                self.change(start, self.end_of(span, list, k), "");
            }
        }
    }

    /// Gives a parameter, an input or a start value another value. What has none in the text comes back as
    /// `name = value`, to be written as a start value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Option<String>, String> {
        let tree = self.tree;
        let wanted = spaceless(name);
        for statement in &tree.statements {
            match &statement.kind {
                StatementKind::Param(list)
                | StatementKind::Input(list)
                | StatementKind::Init(list)
                | StatementKind::Guess(list) => {
                    let written = |d: &Declaration| spaceless(self.slice(d.target.span)) == wanted;
                    let Some(k) = list.iter().position(written) else { continue };
                    let from = list[k].target.span.end as usize;
                    let end =
                        list[k].unit.as_ref().map_or(self.end_of(statement.span, list, k), |u| u.span.start as usize);
                    let space = self.text[from..end].len() - self.text[from..end].trim_end().len();
                    self.change(from, end - space, format!(" = {value}"));
                    return Ok(None);
                }
                StatementKind::StartAt { target, unit, .. } if spaceless(self.slice(target.span)) == wanted => {
                    // y(0) = 1: after the first `=`
                    let from = target.span.end as usize;
                    let from = from + self.text[from..].find('=').expect("a start value has an equals sign") + 1;
                    let end = unit.as_ref().map_or(statement.span.end as usize, |u| u.span.start as usize);
                    let space = self.text[from..end].len() - self.text[from..end].trim_end().len();
                    self.change(from, end - space, format!(" {value}"));
                    return Ok(None);
                }
                _ => {}
            }
        }
        if name.contains('[') {
            return Err(format!(
                "`{name}` is made by a loop, so its own value {value} cannot be written into a closed loop; give it in the text of the model"
            ));
        }
        Ok(Some(format!("{name} = {value}")))
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Tables are named by paths relative to their model: they must be found from another folder, too.
    pub fn move_tables(&mut self, from: &Path, to: &Path) {
        let same = |folder: &Path| {
            if folder.as_os_str().is_empty() { Path::new(".").to_path_buf() } else { folder.to_path_buf() }
        };
        let (from, to) = (same(from), same(to));
        if from == to {
            return;
        }
        let inputs = self.tree.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Input(list) => Some(list),
            _ => None,
        });
        for table in inputs.flatten().filter_map(|d| d.table.as_ref()) {
            let (start, end) = (table.span.start as usize, table.span.end as usize);
            let gone = self.changes.iter().any(|&(a, b, _)| a <= start && end <= b);
            let path = from.join(&table.path);
            // a model that is written to where we are keeps relative paths
            let path = if to == Path::new(".") { path } else { std::path::absolute(&path).unwrap_or(path) };
            if !gone && Path::new(&table.path).is_relative() {
                self.changes.push((start, end, format!("\"{}\"", path.display())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordinate_syntax::{has_errors, parse};

    fn without(text: &str, inputs: &[&str]) -> String {
        let (tree, found) = parse(text);
        assert!(!has_errors(&found), "{text}");
        let mut edits = Edits::new(&tree, text);
        edits.take_inputs(inputs).unwrap();
        edits.apply()
    }

    fn set(text: &str, name: &str, value: &str) -> String {
        let (tree, found) = parse(text);
        assert!(!has_errors(&found), "{text}");
        let mut edits = Edits::new(&tree, text);
        match edits.set(name, value).unwrap() {
            None => edits.apply(),
            Some(added) => format!("+ {added}"),
        }
    }

    #[test]
    fn an_input_on_its_own_line_leaves_a_note_and_its_comment() {
        let text = "x' = u\ninput u = 0 [N]   # force\ninit x = 1";
        assert_eq!(without(text, &["u"]), "x' = u\n# u is driven by the controller below   # force\ninit x = 1");
    }

    #[test]
    fn of_several_inputs_the_others_stay() {
        assert_eq!(without("x' = u + w; input u = 1 [V], w = 2", &["u"]), "x' = u + w; input w = 2");
        assert_eq!(without("input w = 2, u = max(1, (2)) [V]\nx' = u + w", &["u"]), "input w = 2 \nx' = u + w");
        assert_eq!(without("input a = 1, b = 2, c = 3; x' = a", &["b", "c"]), "input a = 1  ; x' = a");
        assert_eq!(without("input a = 1, # one\n  b = 2 # two\nx' = a", &["b"]), "input a = 1 # one\n   # two\nx' = a");
    }

    #[test]
    fn statements_in_one_line_close_up() {
        assert_eq!(without("input u = 0; x' = u; init x = 1", &["u"]), "x' = u; init x = 1");
        assert_eq!(without("x' = u; input u = 0", &["u"]), "x' = u; ");
    }

    #[test]
    fn elements_of_an_array_are_inputs_of_their_own() {
        let text = "input u[1] = 0, u[ 2 ] = 0\nx' = u[1] + u[2]";
        assert_eq!(without(text, &["u[2]"]), "input u[1] = 0 \nx' = u[1] + u[2]");
        assert!(without(text, &["u[1]", "u[2]"]).starts_with("# u[1], u[2] are driven by the controller below\n"));
    }

    #[test]
    fn an_input_made_of_a_driven_one_is_refused() {
        let text = "input u = 0, w = 2*u\nx' = u + w";
        let (tree, _) = parse(text);
        let reason = Edits::new(&tree, text).take_inputs(&["u"]).unwrap_err();
        assert!(reason.contains("`w` is made of `u`"), "{reason}");
    }

    #[test]
    fn values_are_replaced_where_they_stand() {
        let text = "param m = (1.5)*2 [kg], k = 2  # both\nx'' = -k/m*x\ninit x = 1, x' = 0";
        assert!(set(text, "m", "4").contains("param m = 4 [kg], k = 2  # both"));
        assert!(set(text, "k", "2*pi").contains("param m = (1.5)*2 [kg], k = 2*pi  # both"));
        assert!(set(text, "x'", "3").ends_with("init x = 1, x' = 3"));
        assert_eq!(set("y' = -y; y(0) = 1 [m]", "y", "5"), "y' = -y; y(0) = 5 [m]");
        assert_eq!(set("y' = w; input w from \"w.csv\" hold [m]", "w", "5"), "y' = w; input w = 5 [m]");
        assert_eq!(set("y' = -y", "y", "5"), "+ y = 5");
        assert_eq!(set("u[1]' = -u[ 1 ]; init u[ 1 ] = 2", "u[1]", "5"), "u[1]' = -u[ 1 ]; init u[ 1 ] = 5");
    }

    #[test]
    fn tables_are_found_from_another_folder() {
        let text = "x' = w; input w from \"w.csv\" hold";
        let (tree, _) = parse(text);
        let mut edits = Edits::new(&tree, text);
        edits.move_tables(Path::new("models"), Path::new(""));
        assert_eq!(edits.apply(), "x' = w; input w from \"models/w.csv\" hold");
    }
}
