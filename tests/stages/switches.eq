def sat(x) = max(-1, min(1, x))
input r = step(t - 1)
x' = sat(u - x) + abs(x)
every 0.1: u = 2*(r - x)
when x > 0.5 and t > 2: x = 0
stop when x < -3
init x = 0.2
run 0 .. 5
