a + b = 2
a - b = x'
x' = a*b + 1e400
init x = 1 [kgg]