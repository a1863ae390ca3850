//! The protocol: a line in, lines out. README.md in the folder above has it in full.

use crate::report::{Report, Series};
use std::collections::HashMap;
use std::io::{BufRead, Write};

pub const VERSION: u32 = 1;

/// The maximum number of values of a series. More could exhaust the memory.
const MAX_N: usize = 10_000_000;

/// A collection in the protocol.
pub struct Peer {
    pub name: &'static str,
    pub workloads: &'static [&'static str],
    /// Makes the series of a workload, or None if it does not have this element size.
    pub start: fn(workload: &str, n: usize, elem: usize) -> Option<Series>,
}

/// Answers requests until the input ends, or until quit.
pub fn serve(peers: &[Peer], input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let mut running = HashMap::new();
    for line in input.split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words[..] {
            ["quit"] => return Ok(()),
            ["hello"] => Ok(hello(peers)),
            ["start", name, workload, n, elem] => {
                start(peers, name, workload, n, elem).map(|(name, series)| {
                    running.insert(name, series);
                    vec![]
                })
            }
            ["rep", name] => match running.get_mut(name) {
                Some(series) => {
                    let mut report = Report::default();
                    series(&mut report);
                    Ok(report.lines)
                }
                None => Err(format!("rep: {:?} was not started", name)),
            },
            _ => Err(format!("not understood: {:.200}", format!("{:?}", line))),
        };
        match answer {
            Ok(lines) => {
                for line in lines {
                    writeln!(output, "{}", line)?;
                }
                writeln!(output, "end")?;
            }
            Err(what) => writeln!(output, "error {}", what)?,
        }
        output.flush()?;
    }
    Ok(())
}

/// The greeting: the version, the compiler, and each collection with its workloads.
fn hello(peers: &[Peer]) -> Vec<String> {
    let mut lines = vec![format!("peer {}", VERSION)];
    for p in peers {
        lines.push(format!("impl {} {}", p.name, p.workloads.join(" ")));
    }
    lines
}

fn start(
    peers: &[Peer],
    name: &str,
    workload: &str,
    n: &str,
    elem: &str,
) -> Result<(&'static str, Series), String> {
    let peer = peers
        .iter()
        .find(|p| p.name == name)
        .ok_or_else(|| format!("start: no collection {:?}", name))?;
    let n = match n.parse() {
        Ok(n) if 0 < n && n <= MAX_N => n,
        _ => return Err(format!("start: n {:?} is not in 1..={}", n, MAX_N)),
    };
    let elem = elem.parse().map_err(|_| format!("start: element size {:?}", elem))?;
    let series = (peer.start)(workload, n, elem)
        .ok_or_else(|| format!("start: {} has no {:?} of {} bytes", name, workload, elem))?;
    Ok((peer.name, series))
}
