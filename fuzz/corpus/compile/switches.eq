def f(x) = if x < 0 then -x else floor(x)
x' = f(x) + sign(t-0.5)
init x = 1
every 0.1: u = x
when x > 2 and t > 0.2: x = 0
stop when x > 5
