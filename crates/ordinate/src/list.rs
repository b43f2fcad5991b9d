//! Lists that a user writes: parts separated by commas, but not by those inside of brackets, as in `T[3,4],u[1]`.

/// What commas outside of brackets separate, without the blanks around it.
pub fn list_parts(text: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut found) = (0_i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth <= 0 => {
                found.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[begin..].trim());
    found
}

#[cfg(test)]
mod tests {
    use super::list_parts;

    #[test]
    fn commas_inside_of_brackets_separate_nothing() {
        assert_eq!(list_parts("T[30,30], u[1],x'"), ["T[30,30]", "u[1]", "x'"]);
        assert_eq!(list_parts("0,max(1, 2),3"), ["0", "max(1, 2)", "3"]);
        assert_eq!(list_parts(""), [""]);
    }
}
