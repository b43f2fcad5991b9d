# a loop among named expressions, and an equation that is not solved for its unknown
F = k*(d - a)
a = F/m
2*x' + d = 3*x'
d = x + 1
param k = 3, m = 2
init x = 1
